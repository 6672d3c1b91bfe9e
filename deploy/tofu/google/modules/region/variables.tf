variable "cluster" {
  description = "The cluster's name."
  type        = string
}

variable "tag" {
  description = "The network tag of all machines, to which the firewall's rules apply."
  type        = string
}

variable "network" {
  description = "The network of all regions."
  type        = string
}

variable "region" {
  description = "The region's names in Morty and in Google Cloud, its network, and the number of machines."
  type = object({
    name         = string
    cloud_region = string
    cidr         = string
    servers      = number
    clients      = number
  })
}

variable "server_type" {
  description = "The machine type of servers."
  type        = string
}

variable "client_type" {
  description = "The machine type of client machines."
  type        = string
}

variable "data_gib" {
  description = "The size of each server's data disk."
  type        = number
}

variable "public_key" {
  description = "The operators' public key."
  type        = string
}
